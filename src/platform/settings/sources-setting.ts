import { isIP } from 'node:net'
import { readSourceFile } from '../../mail/sources/read-sources.ts'
import type { SourceAddresses, SourceSettings } from '../../mail/sources/sources.ts'
import { readSettingFile } from './setting-file.ts'

/** The sources in the file of this path. */
export const readSources = (path: string): SourceSettings => readSourceFile(path, readSettingFile(path), addressesIn)

/** Of a machine: an IPv4 address, an IPv6 address, or one of each. */
export function addressesIn(text: string): SourceAddresses {
  const found: { v4?: string; v6?: string } = {}
  for (const given of text.split(',')) {
    const address = given.trim()
    const family = isIP(address)
    const key = family === 4 ? 'v4' : 'v6'
    if (family === 0 || found[key] !== undefined || isUnspecified(address))
      throw new Error(`must be an IPv4 address, an IPv6 address, or one of each with a comma between, not \`${text}\``)
    found[key] = address
  }
  return found
}

const isUnspecified = (address: string) => /^[0.:]+$/.test(address)
