/** A failure that a person can act on: what is wrong, and what to do about it. */
export class SkillFailure extends Error {
  constructor(message, fix) {
    super(message);
    this.name = 'SkillFailure';
    this.fix = fix;
  }
}
