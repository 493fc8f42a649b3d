import { SETTINGS, settingName } from './config.ts'
import { OLD_NAMES } from './old-names.ts'

// Names that begin like settings: which of them are settings, which belong to somebody else, and which are mistakes.

const PREFIX = 'POSTWREN_'
const FILE_SUFFIX = '_FILE'

/** Read before any setting: names the file with the others. */
export const CONFIG_NAME = 'POSTWREN_CONFIG'

/** Of the tests and the test kit of this repository, not of the service. */
const NOT_SETTINGS = new Set([CONFIG_NAME, 'POSTWREN_URL', 'POSTWREN_PICTURES', 'POSTWREN_FAULTS'])
const NOT_SETTINGS_PREFIX = 'POSTWREN_TEST_'

/** What Kubernetes and Docker set for a Service or container called `postwren`, `postwren-api` and so on, unasked. */
const SERVICE_LINK =
  /^POSTWREN_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/
const SERVICE_LINK_VALUE = /^(?:tcp|udp|sctp):\/\//

export const isSetting = (name: string) => name.startsWith(PREFIX) && Object.hasOwn(SETTINGS, name.slice(PREFIX.length))

/** A name that a setting had before. */
const isOldName = (name: string) => name.startsWith(PREFIX) && Object.hasOwn(OLD_NAMES, name.slice(PREFIX.length))

/** Where the value of a secret setting can be read from. */
export const fileName = (name: string) => `${settingName(name)}${FILE_SUFFIX}`

const SECRET_FILES = new Set(
  Object.entries(SETTINGS).flatMap(([name, { isSecret }]) => (isSecret ? [fileName(name)] : [])),
)

export const isSecretFile = (name: string) => SECRET_FILES.has(name)

const isServiceLink = (name: string, value: string) => name.endsWith('_PORT') && SERVICE_LINK_VALUE.test(value)

const isForeign = (name: string, value: string) =>
  NOT_SETTINGS.has(name) ||
  name.startsWith(NOT_SETTINGS_PREFIX) ||
  SERVICE_LINK.test(name) ||
  isServiceLink(name, value)

/** What is wrong with a name that begins like a setting, in one line; null: nothing. */
export function objectionToName(name: string, value: string): string | null {
  if (!name.startsWith(PREFIX) || isSecretFile(name) || isOldName(name)) return null
  if (isSetting(name)) return isServiceLink(name, value) ? serviceLink(name, value) : null
  if (isForeign(name, value)) return null
  const withoutSuffix = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : ''
  if (isSetting(withoutSuffix))
    return `${name} is not a setting: only secrets are read from files. Set ${withoutSuffix}.`
  const meant = nearestTo(name, [...Object.keys(SETTINGS).map(settingName), ...SECRET_FILES, CONFIG_NAME])
  return `${shortened(name)} is not a setting. ${meant ? `Did you mean ${meant}?` : 'See `postwren config show`, and /docs/guide/configuration of a running service.'}`
}

/** A name that nobody has written by hand is not repeated whole. */
const shortened = (name: string) => (name.length > MAX_SHOWN_NAME ? `${name.slice(0, MAX_SHOWN_NAME)}…` : name)
const MAX_SHOWN_NAME = 80

const serviceLink = (name: string, value: string) =>
  `${name} is \`${value}\`, which Kubernetes sets for a Service of this name: use \`enableServiceLinks: false\` in the pod, or set ${name}.`

/** A slip of the pen at most: two letters, or a quarter of a long name; else the one that begins so. */
function nearestTo(name: string, names: readonly string[]): string | undefined {
  const most = Math.max(2, Math.floor((name.length - PREFIX.length) / 4))
  const [best] = names
    .map((known) => ({ known, distance: distanceOf(name, known) }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance)
  return best?.known ?? names.find((known) => known.startsWith(`${name}_`))
}

/** Letters to insert, delete, change, or swap with the next one. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > a.length / 4 + 2) return Number.POSITIVE_INFINITY
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? rows[i - 2]![j - 2]! + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(changed, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
