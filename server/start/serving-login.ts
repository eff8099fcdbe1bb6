/** Makes a serving process log in to the database with a role that can only serve. */
import type { Config } from '../config/config.ts'
import { ConfigError } from '../config/values.ts'
import type { Log } from '../platform/process/log.ts'
import { excessOf, servingLogin, withLogin } from '../platform/db/logins.sql.ts'

/**
 * The configuration with the serving login. Production refuses any other login with a sentence. A local process that is given
 * another one, such as the superuser of the embedded database, logs that and continues as the serving login if the database
 * allows it.
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
