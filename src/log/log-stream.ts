import { type Writable } from 'node:stream';
import { isWanted, lineOf, type Log, type LogFields, type LogLevel } from './log';

/** A log on a stream, such as the standard output of a container: one JSON object a line. */
export class LogStream implements Log {
  constructor(
    private readonly stream: Writable,
    private readonly level: LogLevel = 'info',
  ) {}

  write(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (isWanted(level, this.level)) this.stream.write(lineOf(level, message, fields));
  }
}
