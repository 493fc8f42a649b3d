import type { Queryable } from '../../kernel/db/database.ts'
import { toAsciiDomain } from '../../mail/address.ts'
import { type Config, hostName } from '../../platform/settings/config.ts'
import { isHostedName } from '../domains/reads.ts'

const MAX_NAME_LENGTH = 253
const HOST_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/

/** Names of the installation itself: of its mail server, and of its pages. */
export function installationNames(config: Config): string[] {
  const pages = config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).hostname]
  return [...new Set([hostName(config), ...pages].map(toAsciiDomain))].filter(isHostName)
}

/** A name that somebody can have a certificate for: not an address, and not the name of a machine alone. */
export const isHostName = (name: string) =>
  name.length <= MAX_NAME_LENGTH && HOST_NAME.test(name) && !/\.\d+$/.test(name)

/** Whether a name is one by which this installation is reached. One look-up by index at most, whatever the name is. */
export async function isOwnName(db: Queryable, config: Config, given: string): Promise<boolean> {
  if (given.length > MAX_NAME_LENGTH) return false
  const name = toAsciiDomain(given)
  if (!isHostName(name)) return false
  return installationNames(config).includes(name) || isHostedName(db, name)
}
