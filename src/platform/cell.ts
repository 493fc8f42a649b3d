import type { Config } from './settings/config.ts'

// Cells: installations beside each other, each with a database of its own. A team lives in one of them, and what leaves that cell says its
// name where a proxy can read it: keys, links, return paths.

/** Where else teams of this service live. */
export interface Cells {
  /** The name of this one; null: there are no cells. */
  readonly own: string | null
  /** The public URL of each other cell that the settings name. */
  readonly urls: ReadonlyMap<string, string>
}

const NAME = '[a-z][a-z0-9]{0,7}'
export const CELL_NAME = new RegExp(`^${NAME}$`)

const NAMED_URL = `${NAME}=https?://[^\\s,@?#]+`
/** `eu1=https://…,us1=https://…` */
export const CELL_URLS = new RegExp(`^${NAMED_URL}(?:\\s*,\\s*${NAMED_URL})*$`)

export const NO_CELLS: Cells = { own: null, urls: new Map() }

export function cellsOf({ CELL, CELLS }: Pick<Config, 'CELL' | 'CELLS'>): Cells {
  const named = (CELLS ?? '').split(',').flatMap((part) => {
    const [name = '', url = ''] = part.trim().split(/=(.*)/)
    return name === '' || name === CELL ? [] : [[name, url.replace(/\/+$/, '')] as const]
  })
  return { own: CELL ?? null, urls: new Map(named) }
}

/** The hosts of the other cells: what they have signed for their own host is followed here, too. */
export const hostsOf = ({ urls }: Cells): ReadonlySet<string> =>
  new Set([...urls.values()].map((url) => new URL(url).hostname))

/** `re_eu1_`, eight characters that find the key, and 43 that prove it. A key without a cell is shorter, whatever is in it. */
const KEY_OF_CELL = /^re_([a-z][a-z0-9]{0,7})_[\w-]{8}_[\w-]{43}$/

/** The cell that a key was made in; null: it does not say. */
export const cellOfKey = (token: string): string | null => KEY_OF_CELL.exec(token)?.[1] ?? null

/** The other cell whose URL an access token (a JWT) has as its issuer; null: none, or nobody can read it. Nothing of it is verified. */
export function cellOfAccessToken(token: string, { urls }: Cells): string | null {
  if (urls.size === 0) return null
  try {
    const { iss } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'))
    return [...urls].find(([, url]) => url === iss)?.[0] ?? null
  } catch {
    return null
  }
}

/** `eu1~…` */
const LINK_OF_CELL = /^([a-z][a-z0-9]{0,7})~/

/** The cell that the token of a link was made in; null: it does not say. */
export const cellOfLink = (token: string): string | null => LINK_OF_CELL.exec(token)?.[1] ?? null

/** For people and programs that came to the wrong cell. */
export const livesIn = (cell: string, url: string | undefined) =>
  url === undefined ? `the cell ${cell}` : `the cell ${cell}: ${url}`
