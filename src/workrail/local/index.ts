/** The store on a local disk: the only I/O of the WorkRail parts. */
export { KEYRING_VERSION, LocalKeyring } from './keyring-file';
export { currentSigner, keyringSigner } from './keyring-signer';
