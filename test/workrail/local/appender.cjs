// A process that appends: node appender.cjs <root> <name> <appends> <session>...
// It says "ack <session> <dedupe key>" for each append that was acknowledged, and "done" at its end.
const { writeSync } = require('node:fs');
const { openWorkrailStore } = require('../../../dist/src/workrail/local');
const { advancePlan, birthPlan, notesPlan, pinWorkflow } = require('../../../dist/bench/store-plans');

const [root, name, appends, ...sessions] = process.argv.slice(2);

async function append(store, sessionId, plan) {
  for (;;) {
    const done = await store.sessions.withSession(sessionId, (_, witness) =>
      store.sessions.append(witness, [plan]),
    );
    if (done.isOk()) {
      writeSync(1, `ack ${sessionId} ${done.value[0].dedupeKey}\n`);
      return;
    }
    if (done.error.code !== 'SESSION_LOCKED') throw new Error(`${done.error.code}: ${done.error.message}`);
  }
}

async function main() {
  const store = (await openWorkrailStore({ root }))._unsafeUnwrap();
  const hash = await pinWorkflow(store);
  for (const sessionId of sessions) await append(store, sessionId, birthPlan(sessionId, hash));
  for (let n = 0; n < Number(appends); n += 1) {
    const sessionId = sessions[n % sessions.length];
    const number = Number(name) * 1_000_000 + n + 1;
    const plan = n % 3 === 2 ? advancePlan(sessionId, number) : notesPlan(sessionId, String(number), 2);
    await append(store, sessionId, plan);
  }
  writeSync(1, 'done\n');
}

main().catch((error) => {
  writeSync(2, `${error.stack}\n`);
  process.exitCode = 1;
});
