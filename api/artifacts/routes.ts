/** Artifacts over HTTP. */
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../src/errors';
import { refuse } from '../answers';
import { type FactoryRuns } from '../factory-runs';
import { ArtifactShelf, type Found } from './artifact-shelf';
import { CACHE, guard, sendBlob } from './send-blob';
import { etagOf, isKnown } from './validators';

interface DigestParams {
  readonly Params: { readonly digest: string };
}
interface ArtifactParams {
  readonly Params: { readonly run: string; readonly block: string; readonly key: string };
}
interface FileParams {
  readonly Params: ArtifactParams['Params'] & { readonly '*': string };
}

export function artifactRoutes(api: FastifyInstance, runs: FactoryRuns): void {
  const shelf = new ArtifactShelf(runs.home);
  const answer = (
    request: FastifyRequest,
    reply: FastifyReply,
    found: Result<Found, RailyardError>,
    cache: string,
  ): FastifyReply | Promise<FastifyReply> => {
    if (found.isErr()) return refuse(reply, found.error);
    return found.value.kind === 'blob'
      ? sendBlob(request, reply, shelf.store, found.value.blob, cache)
      : sendListing(request, reply, found.value);
  };
  const inRun = async (
    request: FastifyRequest<ArtifactParams>,
    reply: FastifyReply,
    path: string | null,
  ): Promise<FastifyReply> => {
    const { run, block, key } = request.params;
    const view = await runs.read(run);
    if (view.isErr()) return refuse(reply, view.error);
    return answer(request, reply, await shelf.inRun(view.value, block, key, path), CACHE.asked);
  };

  api.get<DigestParams>('/artifact/:digest', async (request, reply) =>
    answer(request, reply, shelf.byDigest(request.params.digest), CACHE.forever),
  );
  api.get<ArtifactParams>('/factory-run/:run/artifact/:block/:key', async (request, reply) =>
    inRun(request, reply, null),
  );
  api.get<FileParams>('/factory-run/:run/artifact/:block/:key/*', async (request, reply) =>
    inRun(request, reply, request.params['*']),
  );
}

function sendListing(
  request: FastifyRequest,
  reply: FastifyReply,
  { digest, listing }: Extract<Found, { kind: 'directory' }>,
): FastifyReply {
  guard(reply, digest, CACHE.asked);
  if (isKnown(request.headers['if-none-match'], etagOf(digest))) return reply.code(304).send();
  return reply.send({ digest, files: listing.files });
}
