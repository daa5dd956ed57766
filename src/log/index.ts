/** The log of the service. */
export { type Log, type LogFields, type LogLevel } from './log';
export { LogFile, type LogFileOptions } from './log-file';
export { LogStream } from './log-stream';
