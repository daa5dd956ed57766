import { statSync } from 'node:fs';
import { directoryDigest, fileDigest, listFiles } from '../_text/artifact.mjs';

/** Every artifact the report was made from, with its size and its digest. */
export function artifactRows(request) {
  return request.inputs.map((input) => {
    const path = request.input(input.key);
    const isDirectory = statSync(path).isDirectory();
    const digest = isDirectory ? directoryDigest(path) : fileDigest(path);
    return [
      input.key,
      input.block,
      isDirectory ? `${listFiles(path).length} files` : `${statSync(path).size} bytes`,
      digest,
    ];
  });
}

/** A module as three blocks saw it: the mapper by its cues, the gap analysis with the extractors, the tester in the clone. */
export function moduleRows(moduleMap, gapReport, results) {
  return moduleMap.modules.map((mapped) => {
    const judged = gapReport.modules.find((row) => row.module === mapped.module);
    const tested = results.modules.find((row) => row.module === mapped.module);
    return [
      mapped.module,
      judged?.state ?? 'unknown',
      mapped.evidence_count,
      judged?.evidence_count ?? 0,
      tested?.evidence ?? 0,
    ];
  });
}
