/**
 * A file system in memory that knows of every byte and every name whether it would outlive a power cut. It can end a process
 * at any call, and then shows what a disk may have: what was synced for certain, the rest all, in part, or not at all.
 */
import { basename, dirname } from 'node:path';
import { type FileLock, type FileStat, type FileSystem, type OpenFile } from '../../../src/workrail/local';

class File {
  readonly kind = 'file';
  data: Buffer<ArrayBuffer> = Buffer.alloc(0);
  durable: Buffer<ArrayBuffer> = Buffer.alloc(0);
  mtime = 0n;
  constructor(readonly ino: number) {}
}

class Folder {
  readonly kind = 'folder';
  entries = new Map<string, Inode>();
  durable = new Map<string, Inode>();
  mtime = 0n;
  constructor(readonly ino: number) {}
}

type Inode = File | Folder;

/** What becomes of what was not synced. Names and bytes are lost apart: a disk promises no order between them. */
export interface PowerCut {
  readonly names: 'kept' | 'lost';
  readonly bytes: Bytes;
}

/** `torn`: half of them; `cut_at_line`: one whole line; `zeroed`: none, but room for all; `holed`: only the second half. */
type Bytes = 'kept' | 'torn' | 'cut_at_line' | 'zeroed' | 'holed' | 'lost';
const BYTES: readonly Bytes[] = ['kept', 'torn', 'cut_at_line', 'zeroed', 'holed', 'lost'];

export const POWER_CUTS: readonly PowerCut[] = (['kept', 'lost'] as const).flatMap((names) =>
  BYTES.map((bytes) => ({ names, bytes })),
);

/** A call that can change something, or make it durable. */
export type Call =
  'create' | 'write' | 'truncate' | 'sync' | 'rename' | 'remove' | 'makeFolder' | 'syncFolder';

/** Decides at each call whether it happens; null: it does. An error code: it fails with that. */
export type Fate = (call: Call, nth: number, path: string) => string | null;

const failure = (code: string, path: string): Error => Object.assign(new Error(`${code}: ${path}`), { code });

export class CrashFileSystem implements FileSystem {
  private inodes = 1;
  private ticks = 1n;
  private root = new Folder(0);
  private readonly held = new Set<Inode>();
  /** Calls so far, in order. */
  calls: Call[] = [];
  bytesRead = 0;
  fate: Fate = () => null;
  private dead = false;

  /** From here on every call fails: the process is gone. */
  die(): void {
    this.dead = true;
  }

  /** The disk as the next start finds it. */
  after(cut: PowerCut): CrashFileSystem {
    const next = new CrashFileSystem();
    next.inodes = this.inodes;
    next.ticks = this.ticks;
    next.root = survivor(this.root, cut, new Map()) as Folder;
    return next;
  }

  /** The disk as another process finds it when this one was killed: nothing is lost but locks. */
  afterKill(): CrashFileSystem {
    return this.after({ names: 'kept', bytes: 'kept' });
  }

  /** A second name for a folder, under which another process would not be known to be this one. */
  alias(path: string, name: string): void {
    const folder = this.find(path);
    if (folder) this.root.entries.set(name, folder);
  }

  /** Whether any lock is held. */
  get isLocked(): boolean {
    return this.held.size > 0;
  }

  stat(path: string): FileStat | null {
    const found = this.find(path);
    if (!found) return null;
    const size = found.kind === 'file' ? found.data.length : 0;
    return { kind: found.kind, size, ino: found.ino, mtimeNs: found.mtime };
  }

  list(path: string): readonly string[] {
    const found = this.find(path);
    return found?.kind === 'folder' ? [...found.entries.keys()] : [];
  }

  read(path: string, from = 0, length?: number): Uint8Array | null {
    const found = this.find(path);
    if (found?.kind !== 'file') return null;
    const bytes = found.data.subarray(from, length === undefined ? undefined : from + length);
    this.bytesRead += bytes.length;
    return Buffer.from(bytes);
  }

  touch(path: string): boolean {
    const found = this.find(path);
    if (found?.kind === 'file') found.mtime = this.ticks++;
    return found?.kind === 'file';
  }

  makeFolder(path: string): void {
    if (this.find(path)) return;
    if (dirname(path) !== path) this.makeFolder(dirname(path));
    this.happens('makeFolder', path);
    this.folderOf(path).entries.set(basename(path), new Folder(this.inodes++));
  }

  create(path: string): OpenFile {
    this.happens('create', path);
    const folder = this.folderOf(path);
    const there = folder.entries.get(basename(path));
    const file = there?.kind === 'file' ? there : new File(this.inodes++);
    file.data = Buffer.alloc(0);
    file.mtime = this.ticks++;
    folder.entries.set(basename(path), file);
    return this.opened(file, path);
  }

  append(path: string): OpenFile {
    const file = this.find(path);
    if (file?.kind !== 'file') throw failure('ENOENT', path);
    return this.opened(file, path);
  }

  rename(from: string, to: string): void {
    this.happens('rename', to);
    const [source, target] = [this.folderOf(from), this.folderOf(to)];
    const moved = source.entries.get(basename(from));
    if (!moved) throw failure('ENOENT', from);
    const there = target.entries.get(basename(to));
    if (there?.kind === 'folder' && there.entries.size > 0) throw failure('ENOTEMPTY', to);
    source.entries.delete(basename(from));
    target.entries.set(basename(to), moved);
  }

  remove(path: string): void {
    if (!this.find(path)) return;
    this.happens('remove', path);
    this.folderOf(path).entries.delete(basename(path));
  }

  async syncFolder(path: string): Promise<void> {
    const folder = this.find(path);
    if (folder?.kind !== 'folder') throw failure('ENOENT', path);
    this.happens('syncFolder', path);
    await Promise.resolve();
    this.alive(path);
    folder.durable = new Map(folder.entries);
  }

  lock(path: string, existing?: 'existing'): FileLock | 'busy' | 'missing' {
    let file = this.find(path);
    if (!file && existing) return 'missing';
    if (!file) {
      this.create(path).close();
      file = this.find(path);
    }
    if (!file || this.held.has(file)) return 'busy';
    const held = file;
    this.held.add(held);
    return { release: () => void this.held.delete(held) };
  }

  private opened(file: File, path: string): OpenFile {
    return {
      write: (bytes) => {
        const code = this.fateOf('write', path);
        // A write that fails has written half.
        const part = code === null ? bytes : bytes.subarray(0, bytes.length >> 1);
        if (code !== 'EDEAD') file.data = Buffer.concat([file.data, part]);
        file.mtime = this.ticks++;
        if (code !== null) throw failure(code, path);
      },
      truncate: (size) => {
        this.happens('truncate', path);
        file.data = Buffer.from(file.data.subarray(0, size));
        file.mtime = this.ticks++;
      },
      sync: async () => {
        this.happens('sync', path);
        const synced = Buffer.from(file.data);
        await Promise.resolve();
        this.alive(path);
        file.durable = synced;
      },
      close: () => undefined,
    };
  }

  private happens(call: Call, path: string): void {
    const code = this.fateOf(call, path);
    if (code !== null) throw failure(code, path);
  }

  private fateOf(call: Call, path: string): string | null {
    this.alive(path);
    this.calls.push(call);
    return this.fate(call, this.calls.length - 1, path);
  }

  private alive(path: string): void {
    if (this.dead) throw failure('EDEAD', path);
  }

  private find(path: string): Inode | undefined {
    this.alive(path);
    let at: Inode | undefined = this.root;
    for (const name of path.split('/').filter((step) => step !== '')) {
      at = at?.kind === 'folder' ? at.entries.get(name) : undefined;
    }
    return at;
  }

  private folderOf(path: string): Folder {
    const folder = this.find(dirname(path));
    if (folder?.kind !== 'folder') throw failure('ENOENT', path);
    return folder;
  }
}

/** What is left of an inode; the same one may have two names. */
function survivor(inode: Inode, cut: PowerCut, seen: Map<Inode, Inode>): Inode {
  const before = seen.get(inode);
  if (before) return before;
  if (inode.kind === 'file') {
    const file = new File(inode.ino);
    file.data = bytesAfter(inode, cut);
    file.durable = Buffer.from(file.data);
    file.mtime = inode.mtime;
    seen.set(inode, file);
    return file;
  }
  const folder = new Folder(inode.ino);
  seen.set(inode, folder);
  const names = cut.names === 'kept' ? inode.entries : inode.durable;
  for (const [name, child] of names) folder.entries.set(name, survivor(child, cut, seen));
  folder.durable = new Map(folder.entries);
  return folder;
}

function bytesAfter({ data, durable }: File, { bytes }: PowerCut): Buffer<ArrayBuffer> {
  if (data.equals(durable) || bytes === 'kept') return Buffer.from(data);
  if (bytes === 'lost') return Buffer.from(durable);
  // A file that became shorter has nothing that could be torn.
  const from = Math.min(durable.length, data.length);
  const half = from + ((data.length - from) >> 1);
  const zeros = (to: number): Buffer => Buffer.alloc(to - from);
  switch (bytes) {
    case 'torn':
      return Buffer.from(data.subarray(0, half));
    case 'cut_at_line':
      return Buffer.from(data.subarray(0, data.indexOf('\n', from) + 1 || half));
    // The size was written and the bytes were not, or not all of them.
    case 'zeroed':
      return Buffer.concat([data.subarray(0, from), zeros(data.length)]);
    case 'holed':
      return Buffer.concat([data.subarray(0, from), zeros(half), data.subarray(half)]);
  }
}
