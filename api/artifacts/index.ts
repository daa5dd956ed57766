/** Artifacts: by digest, and by run, block and key. */
export { ArtifactShelf, type Found } from './artifact-shelf';
export { slice } from './byte-range';
export { artifactRoutes } from './routes';
