import { resolve } from 'node:path'
import { type Config, loadConfig } from '../../../platform/settings/config.ts'

/** Where the shadow keeps its database, its files and the report. */
export const shadowFolder = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>) => resolve(DATA_DIR, 'shadow')

/**
 * The settings of our side: the defaults, and of the operator's only what it cannot do without. A relay, a store, a provider or a model
 * that is set for an installation which sends is none of its business.
 */
export function shadowConfig(config: Config): Config {
  return {
    ...loadConfig({}),
    DATA_DIR: shadowFolder(config),
    DATABASE_URL: config.DATABASE_URL,
    SECRET_KEY: config.SECRET_KEY,
    DNS_SERVERS: config.DNS_SERVERS,
    LOG_LEVEL: config.LOG_LEVEL === 'info' ? 'warn' : config.LOG_LEVEL,
    ROLES: ['api', 'delivery', 'jobs'],
    DELIVERY: 'inbox',
    PRIVATE_ADDRESSES: 'refuse',
    SANDBOXES: 'off',
    HOST: '127.0.0.1',
    PORT: 0,
    RATE_LIMIT: 0,
  }
}
