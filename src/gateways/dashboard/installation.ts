import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Config, hasSandboxes, hostName, publicUrl } from '../../platform/settings/config.ts'
import { installationRetention, retentionInWords } from '../../platform/settings/retention.ts'

/** What runs, for the settings page. No secrets: addresses and words only. */
export const installationOf = (config: Config, version: string) => ({
  version,
  node: process.version,
  platform: `${process.platform} ${process.arch}`,
  roles: config.ROLES,
  delivery: config.DELIVERY,
  is_held: config.HOLD === 'on',
  has_sandboxes: hasSandboxes(config),
  relay: config.RELAY_URL ? new URL(config.RELAY_URL).host : null,
  database: config.DATABASE_URL ? 'yours' : 'embedded',
  api_key_file: keyFileOf(config),
  attachments: config.S3_URL ? 'S3' : 'files',
  smtp_port: config.SMTP_PORT,
  public_url: config.PUBLIC_URL ? publicUrl(config) : null,
  host_name: hostName(config),
  retention: retentionInWords(installationRetention(config)),
})

export type Installation = ReturnType<typeof installationOf>

/** Where the first start has put the key that it made; null: it was given one, or another machine has the file. */
function keyFileOf({ API_KEY, DATA_DIR }: Config): string | null {
  const file = join(resolve(DATA_DIR), 'api-key')
  return API_KEY === undefined && existsSync(file) ? file : null
}
