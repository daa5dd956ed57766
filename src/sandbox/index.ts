/** Between a block's workspace and the content store. Reads and writes files; knows nothing of Temporal. */
export { capture, DIRECTORY, type Captured } from './capture';
export { checkApart, checkPaths, outputPaths, type OwnedPath } from './check-paths';
export { clearOutputs } from './clear-outputs';
export { ContentStore, hashFile, type Stored } from './content-store';
export { matchFiles, type MatchedFiles } from './file-patterns';
export { byteOrder, listingText, parseListing, type ListedFile, type Listing } from './listing';
export { inTurn } from './in-turn';
export { materialise } from './materialise';
export { isInside, openWorkspace, pathInside, type Workspace } from './workspace';
