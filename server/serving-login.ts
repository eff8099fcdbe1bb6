/** Sees to it that a process that serves is let into the database as one that can do nothing else. */
import { ConfigError, type Config } from './config.ts'
import type { Log } from './platform/process/log.ts'
import { excessOf, servingLogin, withLogin } from './platform/db/logins.sql.ts'

/**
 * The configuration with the login that serves. Production refuses another one with a sentence; a local process that is given one, such as
 * the superuser of the embedded database, says so and goes on as the serving login where the database lets it.
 */
export async function withServingLogin(config: Config, log: Log): Promise<Config> {
  const { url, sessionUrl, connectTimeoutMs } = config.database
  const excess = await excessOf(url, connectTimeoutMs)
  if (excess === undefined) return config
  if (config.mode === 'production') {
    throw new ConfigError(
      `Refused to start in production: in DATABASE_URL, ${excess}. Give it the login ${servingLogin}, which owns nothing (ops/logins.sql makes it), and the other one to migrations alone (DATABASE_OWNER_URL).`,
    )
  }
  const serving = withLogin(url, servingLogin)
  const isLetIn = await excessOf(serving, connectTimeoutMs).then(
    (its) => its === undefined,
    () => false,
  )
  log.warn('database.login_excess', { excess, uses_serving_login: isLetIn })
  if (!isLetIn) return config
  return { ...config, database: { ...config.database, url: serving, sessionUrl: withLogin(sessionUrl, servingLogin) } }
}
