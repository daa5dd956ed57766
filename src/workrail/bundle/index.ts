/** Export bundles: write one, check one, bring one into a store. */
export {
  exportBundle,
  type ContentStores,
  type Exported,
  type ExportRequest,
  type ReadArtifact,
  type Write,
} from './export';
export { importBundle, type BundleSource, type Imported, type ImportStores } from './import';
export { type Chunks } from './json-cursor';
export { verifyBundle, type VerifiedBundle } from './verify';
