/** The WorkRail store on local files: the only I/O of the WorkRail parts. */
export { type CheckProgress, type SessionCheck, type StoreCheck } from './check';
export { collectStoreOf, type StoreCollected } from './collect-home';
export { FolderShelf } from './content-shelf';
export { type FileLock, type FileStat, type FileSystem, type OpenFile } from './file-system';
export { openStoreOf, workrailRoot, type HomeStore, type HomeStoreOptions } from './home-store';
export { catalogOf, workflowFolders } from './home-workflows';
export { KeepListFile } from './keep-list';
export { KEYRING_VERSION, LocalKeyring } from './keyring-file';
export { currentSigner, keyringSigner } from './keyring-signer';
export { systemMinting } from './minting';
export { nodeFileSystem } from './node-file-system';
export { openWorkrailStore, type StoreOptions, type WorkrailStore } from './open-store';
export { type AppendEnd, type LockAnswer, type StoreObserver } from './observer';
export { overview, type SessionLine, type SessionRunLine } from './overview';
export { type RepairReport } from './repair';
export { LocalSessionShelf } from './session-shelf';
export { FolderCatalog } from './workflow-catalog';
export { type WorkflowFolder } from './workflow-folders';
