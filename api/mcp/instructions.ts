/** What a client tells its model about this server before any tool is called. */
export const INSTRUCTIONS = `Railyard's workflows lead you through longer work step by step, and keep what you did.

1. list_workflows, then start_workflow with the one that fits (inspect_workflow shows its steps first).
2. Do what "pending.prompt" says, all of it and nothing beyond it. Then call continue_workflow with the stateToken and the ackToken of the same answer, and your notes on this step in output.notesMarkdown.
3. Go on until isComplete is true. nextIntent says what to do with each answer.

- Tokens are opaque: pass them on unchanged and whole, and only those that came together in one answer. "label" names their session and step; with several workflows in one chat, keep them apart by it.
- If an answer was lost, send the same call again: it is taken once.
- "blocked" is no error: mend what the blockers name, and send it again with the retryAckToken and the stateToken of that answer.
- In a new chat, or when you have lost your place: resume_session, then continue_workflow with the stateToken of the right candidate and no ackToken.
- An error has a code, a message, a suggestion that says what to do next, and "retry", which says whether the same call can work later.`;
