/** What has been started, as the steps that end it. */
export class Undo {
  private readonly steps: (() => Promise<unknown>)[] = [];
  private done: Promise<void> | null = null;

  /** `say` gets a line about each step that fails. */
  constructor(private readonly say: (line: string) => void) {}

  push(step: () => Promise<unknown>): void {
    this.steps.push(step);
  }

  /** End everything, what was started last first; a step that fails does not keep the others. Safe to call twice. */
  all(): Promise<void> {
    this.done ??= this.run();
    return this.done;
  }

  private async run(): Promise<void> {
    for (const step of this.steps.toReversed()) {
      try {
        await step();
      } catch (error) {
        this.say(`while stopping: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}
