import { describe, expect, it } from '@jest/globals';
import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { sha256Digest } from '../../src/canonical';
import { listingText, materialise, parseListing, type ListedFile } from '../../src/sandbox';
import { captured, filesIn, folderAt, place } from './places';

const name = fc.constantFrom('a', 'b', 'a-b', 'A', 'ä', '…', ' ', '\n', "'", '😀', 'ﾮ', '.x', '__proto__');
/** A folder's files: no path is also a folder of another. */
const files = fc
  .dictionary(
    fc.array(name, { minLength: 1, maxLength: 3 }).map((steps) => steps.join('/')),
    fc.string({ unit: 'binary', maxLength: 20 }),
    { minKeys: 1, maxKeys: 8, noNullPrototype: true },
  )
  .map((all) =>
    Object.entries(all).filter(([one]) => !Object.keys(all).some((other) => other.startsWith(`${one}/`))),
  )
  .filter((all) => all.length > 0);

const listed = ([path, text]: readonly [string, string]): ListedFile => ({
  path,
  digest: sha256Digest(text),
  bytes: Buffer.byteLength(text),
});

describe('the listing of a folder', () => {
  it('does not depend on the order in which files come', () => {
    fc.assert(
      fc.property(
        files.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
        ([all, shuffled]) => {
          expect(listingText(shuffled.map(listed))).toBe(listingText(all.map(listed)));
        },
      ),
    );
  });

  it('comes back from its text', () => {
    fc.assert(
      fc.property(files, (all) => {
        const text = listingText(all.map(listed));
        expect(listingText(parseListing(text)._unsafeUnwrap().files)).toBe(text);
      }),
    );
  });

  it('changes with every byte, path and file', () => {
    fc.assert(
      fc.property(files, fc.nat(), fc.constantFrom('byte', 'path', 'file'), (all, pick, what) => {
        const index = pick % all.length;
        const changed = all.flatMap(([path, text], i): [string, string][] => {
          if (i !== index) return [[path, text]];
          if (what === 'file') return [];
          return what === 'byte' ? [[path, `${text}!`]] : [[`${path}!`, text]];
        });
        expect(listingText(changed.map(listed))).not.toBe(listingText(all.map(listed)));
      }),
    );
  });
});

describe('capturing and materialising', () => {
  it('gives back what was taken, and takes it again under the same digest', async () => {
    const here = place();
    await fc.assert(
      fc.asyncProperty(files, fc.boolean(), async (all, remove) => {
        rmSync(here.at('d'), { recursive: true, force: true });
        here.write(Object.fromEntries(all.map(([path, text]) => [`d/${path}`, text])));
        const before = filesIn(here.at('d'));
        const artifact = await captured(here, folderAt(here.at('d')));
        expect(artifact.digest).toBe(sha256Digest(listingText(all.map(listed))));

        if (remove) rmSync(here.at('d'), { recursive: true });
        else here.write({ 'd/zzz/added': 'x' });
        (await materialise(here.store, here.workspace, artifact))._unsafeUnwrap();
        expect(filesIn(here.at('d'))).toEqual(before);
        expect(await captured(here, folderAt(here.at('d')))).toEqual(artifact);
      }),
      { numRuns: 40 },
    );
  });
});
