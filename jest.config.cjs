/** @type {import('jest').Config} */
module.exports = {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  testMatch: ['**/*.test.ts'],
  transform: { '^.+\\.ts$': ['@swc/jest', { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }] },
  globalSetup: '<rootDir>/test/setup/start-temporal.ts',
  globalTeardown: '<rootDir>/test/setup/stop-temporal.ts',
  reporters: ['default', '<rootDir>/test/setup/closing-line.cjs'],
  testTimeout: 120_000,
  maxWorkers: 2,
};
