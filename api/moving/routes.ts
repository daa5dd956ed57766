/** Audit, export, fence and import. What is sent and received may be as large as the artifacts of a run: it flows. */
import { type Readable } from 'node:stream';
import { type FastifyInstance } from 'fastify';
import { err, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { auditRun, exportFrom, findSession, importInto, type ImportedBundle } from '../../src/moving';
import { openStoreOf, type HomeStore } from '../../src/workrail/local';
import { packageVersion } from '../../src/home';
import { refuse, send } from '../answers';
import { FenceBody, ImportQuery, read } from '../bodies';
import { type FactoryRuns } from '../factory-runs';
import { resumeCommand } from '../run-view';
import { bundleStream } from './bundle-stream';
import { received, tooLarge } from './received';

interface RunParams {
  readonly Params: { readonly run: string };
}

export interface MovingOptions {
  /** The longest bundle that may be sent. */
  readonly limitBytes: number;
  readonly log: (line: string) => void;
}

export function movingRoutes(
  api: FastifyInstance,
  runs: FactoryRuns,
  { limitBytes, log }: MovingOptions,
): void {
  const { home } = runs;
  let opened: Promise<Result<HomeStore, RailyardError>> | null = null;
  const withStore = async <T>(
    work: (store: HomeStore) => Promise<Result<T, RailyardError>>,
  ): Promise<Result<T, RailyardError>> => {
    opened ??= openStoreOf(home);
    const store = await opened;
    return store.isErr() ? err(store.error) : work(store.value);
  };

  api.get<RunParams>('/factory-run/:run/audit', async (request, reply) =>
    send(reply, await withStore((store) => auditRun(home, store, request.params.run))),
  );

  api.get<RunParams>('/factory-run/:run/export', async (request, reply) => {
    const body = await withStore(async (store) => {
      const found = await findSession(home, store.sessions, request.params.run);
      if (found.isErr()) return err(found.error);
      const how = { artifacts: 'embedded' as const, appVersion: packageVersion(), nowMs: Date.now() };
      return bundleStream((write) => exportFrom(store, found.value, how, write), log);
    });
    if (body.isErr()) return refuse(reply, body.error);
    const name = `${request.params.run}.bundle.json`;
    void reply.headers({
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    });
    // Nobody reads the body of an answer to HEAD.
    if (request.method === 'HEAD') body.value.destroy();
    return reply.send(request.method === 'HEAD' ? '' : body.value);
  });

  api.post<RunParams>('/factory-run/:run/fence', async (request, reply) => {
    const body = read(FenceBody, request.body);
    if (body.isErr()) return refuse(reply, body.error);
    const { run } = request.params;
    const fenced = await runs.fence(run, body.value.by);
    return send(
      reply,
      fenced.map((value) => ({ run_id: run, ...value })),
    );
  });

  api.register((bundles, _options, done) => {
    // The body is not parsed here, and never held in memory as a whole.
    bundles.removeAllContentTypeParsers();
    bundles.addContentTypeParser('application/json', (_request, payload, parsed) => parsed(null, payload));
    bundles.post('/import', { bodyLimit: limitBytes }, async (request, reply) => {
      const query = read(ImportQuery, request.query);
      if (query.isErr()) return refuse(reply, query.error);
      if (Number(request.headers['content-length'] ?? 0) > limitBytes)
        return refuse(reply, tooLarge(limitBytes));
      // The parser above gives the stream as it comes; without a body there is none.
      const body = request.body as Readable | null | undefined;
      if (!body) return refuse(reply, problem('INPUT_INVALID', 'There is no bundle in the body.'));
      const imported = await withStore((store) =>
        received(home, body, limitBytes, (source) =>
          importInto(
            { home, store, claim: (run, workspace) => runs.claim(run, workspace) },
            source,
            query.value.workspace ?? null,
          ),
        ),
      );
      return send(reply, imported.map(shown), imported.isOk() && imported.value.fresh ? 201 : 200);
    });
    done();
  });
}

const shown = ({ run, ...session }: ImportedBundle) => ({
  session_id: session.sessionId,
  exported_session_id: session.exportedSessionId,
  fresh: session.fresh,
  events: session.events,
  missing_artifacts: session.missingArtifacts,
  run: run && {
    run_id: run.run,
    factory: run.factory,
    workspace: run.workspace,
    url: `/api/a360/factory-run/${run.run}`,
    resume_with: resumeCommand(run.run),
  },
});
