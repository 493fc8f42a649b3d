import type { Reply } from './reply-reader.ts'

/** What a server said it can do, as far as we want to know. */
export interface Extensions {
  readonly hasStartTls: boolean
  readonly hasPipelining: boolean
  readonly hasUtf8: boolean
  readonly has8BitMime: boolean
  readonly hasSize: boolean
  /** Zero: the server did not say. */
  readonly maxMessageBytes: number
  /** Ways to log in, in capitals. */
  readonly authMethods: readonly string[]
}

/** Of a server that knows HELO only. */
export const NO_EXTENSIONS: Extensions = {
  hasStartTls: false,
  hasPipelining: false,
  hasUtf8: false,
  has8BitMime: false,
  hasSize: false,
  maxMessageBytes: 0,
  authMethods: [],
}

/** From the answer to EHLO. Its first line is the server's name. */
export function parseExtensions({ text }: Reply): Extensions {
  const offers = text
    .split('\n')
    .slice(1)
    .map((line) => line.slice(4).trim().toUpperCase().split(/\s+/))
  const parametersOf = (keyword: string) => offers.find(([name]) => name === keyword)?.slice(1)
  const has = (keyword: string) => parametersOf(keyword) !== undefined
  const [size = ''] = parametersOf('SIZE') ?? []
  return {
    hasStartTls: has('STARTTLS'),
    hasPipelining: has('PIPELINING'),
    hasUtf8: has('SMTPUTF8'),
    has8BitMime: has('8BITMIME'),
    hasSize: has('SIZE'),
    maxMessageBytes: /^\d{1,15}$/.test(size) ? Number(size) : 0,
    authMethods: offers.flatMap(authMethodsIn),
  }
}

/** `AUTH PLAIN LOGIN`; and, as servers wrote it before there was a standard, `AUTH=PLAIN LOGIN`. */
function authMethodsIn([name = '', ...methods]: readonly string[]): string[] {
  if (name === 'AUTH') return methods
  return name.startsWith('AUTH=') ? [name.slice('AUTH='.length), ...methods] : []
}
