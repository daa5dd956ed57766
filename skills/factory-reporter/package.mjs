import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileDigest, listFiles } from '../_text/artifact.mjs';
import { SkillFailure } from '../_text/failure.mjs';

const AGAIN = 'run clone-packager again';

function readManifest(directory) {
  try {
    return JSON.parse(readFileSync(join(directory, 'manifest.json'), 'utf8'));
  } catch (error) {
    throw new SkillFailure(`the package has no readable manifest.json (${error.message})`, AGAIN);
  }
}

/** Reads the package and believes no manifest that its files contradict. */
export function readPackage(directory) {
  const names = listFiles(directory);
  const manifest = readManifest(directory);
  const wrong = manifest.files.find(
    (file) => !names.includes(file.name) || fileDigest(join(directory, file.name)) !== file.digest,
  );
  if (wrong) throw new SkillFailure(`the package does not match its manifest at ${wrong.name}`, AGAIN);
  return { ...manifest, names };
}
