// A process that works on sessions of its own, all at once: node stepper.cjs <root> <workflow source> <sessions> <advances>
// It says "end <answer>" with the last answer of each session, and "failed <error>" for each call that fails.
const { writeSync } = require('node:fs');
const { ok } = require('neverthrow');
const { compileWorkflow } = require('../../../dist/src/workrail/compiler');
const {
  currentSigner,
  LocalKeyring,
  openWorkrailStore,
  systemMinting,
} = require('../../../dist/src/workrail/local');
const { createProtocol } = require('../../../dist/src/workrail/protocol');

const [root, source, sessions, advances] = process.argv.slice(2);

function catalogOf(known) {
  return {
    list: () => Promise.resolve(ok({ known: [known], unusable: [] })),
    find: () => Promise.resolve(ok(known)),
  };
}

async function work(protocol, workflowId) {
  let answer = await protocol.start_workflow({ workflowId });
  for (let n = 0; n < Number(advances) && answer.isOk(); n += 1) {
    const { stateToken, ackToken } = answer.value;
    answer = await protocol.continue_workflow({
      stateToken,
      ackToken,
      output: { notesMarkdown: `Did step ${n}.`, artifacts: [{ kind: 'made', n }] },
      context: { n },
    });
  }
  const text = answer.isOk()
    ? `end ${JSON.stringify(answer.value)}`
    : `failed ${JSON.stringify(answer.error)}`;
  writeSync(1, `${text}\n`);
}

async function main() {
  const store = (await openWorkrailStore({ root }))._unsafeUnwrap();
  const keyring = new LocalKeyring(root);
  const made = compileWorkflow(source, { sourceKind: 'user' })._unsafeUnwrap();
  const catalog = catalogOf({ ...made, sourceKind: 'user', sourceRef: 'stepper.json' });
  const protocol = createProtocol({
    ...store,
    minting: systemMinting,
    catalog,
    signer: () => currentSigner(keyring),
  });
  await Promise.all(Array.from({ length: Number(sessions) }, () => work(protocol, made.identity.workflowId)));
}

main().catch((error) => {
  writeSync(2, `${error.stack}\n`);
  process.exitCode = 1;
});
