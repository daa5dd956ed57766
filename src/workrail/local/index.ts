/** The WorkRail store on local files. */
export { type SessionCheck, type StoreCheck } from './check';
export { type FileLock, type FileStat, type FileSystem, type OpenFile } from './file-system';
export { systemMinting } from './minting';
export { nodeFileSystem } from './node-file-system';
export { openWorkrailStore, type StoreOptions, type WorkrailStore } from './open-store';
export { type RepairReport } from './repair';
