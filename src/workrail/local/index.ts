/** The store on a local disk: the only I/O of the WorkRail parts. */
export { FolderShelf } from './content-shelf';
export { KeepListFile } from './keep-list';
export { KEYRING_VERSION, LocalKeyring } from './keyring-file';
export { currentSigner, keyringSigner } from './keyring-signer';
export { LocalSessionShelf } from './session-shelf';
