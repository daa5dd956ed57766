/** The environment of a skill: a small base that programs need, and the variables its block names. */

const BASE = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'];

type Env = Readonly<Record<string, string>>;

/** The variables that a block names, the host allows, and the host has. */
export function declaredEnv(
  names: readonly string[],
  allowed: readonly string[],
  host: NodeJS.ProcessEnv,
): Env {
  return pick(
    names.filter((name) => allowed.includes(name)),
    host,
  );
}

/** What every program on this host gets. */
export const baseEnv = (host: NodeJS.ProcessEnv): Env => pick(BASE, host);

function pick(names: readonly string[], host: NodeJS.ProcessEnv): Env {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = host[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
