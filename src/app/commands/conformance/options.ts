import { type CommandFlags, OperatorError } from '../command.ts'

export interface ConformanceOptions {
  /** Without a slash at the end. */
  readonly url: string
  readonly key: string
  /** Of another account; null: what needs two is skipped. */
  readonly otherKey: string | null
  /** Groups, or cases of them; none: all. */
  readonly only: readonly string[]
  readonly rate: number
  readonly timeoutMs: number
  readonly from: string
  readonly webhookUrl: string | null
  readonly webhookPort: number
  readonly smtp: { readonly host: string; readonly port: number } | null
  readonly receiveAt: string | null
  readonly isJson: boolean
  readonly isList: boolean
}

/** Below what the public service takes by default. */
const RATE = 5
const TIMEOUT_SECONDS = 15
/** Sends without a domain of one's own. */
const FROM = 'Conformance <onboarding@resend.dev>'

export function readOptions(
  [url = '']: readonly string[],
  flags: CommandFlags,
  environment: NodeJS.ProcessEnv,
): ConformanceOptions {
  const isList = flags.list === true
  if (!isList && url === '') throw new OperatorError('Give the URL of a server: postwren conformance URL --key KEY')
  const key = textOf(flags.key) ?? environment.RESEND_API_KEY ?? ''
  if (!isList && key === '') throw new OperatorError('Give a key with --key, or in RESEND_API_KEY.')
  const otherKey = textOf(flags['other-key']) ?? (environment.RESEND_OTHER_API_KEY || null)
  if (/[^\x21-\x7e]/.test(key + (otherKey ?? '')))
    throw new OperatorError('The API key contains spaces or non-ASCII characters.')
  if (!isList && key === otherKey) throw new OperatorError('--other-key must be a key of another account.')
  const webhookUrl = textOf(flags['webhook-url'])
  const webhookPort = numberOf('webhook-port', flags['webhook-port'], { or: 0, max: 65_535 })
  if (webhookUrl !== null && webhookPort === 0)
    throw new OperatorError('--webhook-url needs --webhook-port, the port that it leads to on this machine.')
  const receiveAt = textOf(flags['receive-at'])
  const smtp = textOf(flags.smtp)
  if (receiveAt !== null && smtp === null) throw new OperatorError('--receive-at needs --smtp.')
  if (receiveAt !== null && !/^[^\s@<>]+@[^\s@<>]+$/.test(receiveAt))
    throw new OperatorError(`--receive-at must be an address, not \`${receiveAt}\`.`)
  return {
    ...{
      url: isList ? '' : urlOf('URL', url),
      key,
      otherKey,
      isList,
      isJson: flags.json === true,
      receiveAt,
      webhookPort,
    },
    only: (textOf(flags.only) ?? '').split(',').flatMap((one) => (one.trim() === '' ? [] : [one.trim()])),
    rate: numberOf('rate', flags.rate, { or: RATE, max: 10_000 }),
    timeoutMs: numberOf('timeout', flags.timeout, { or: TIMEOUT_SECONDS, max: 600 }) * 1_000 || TIMEOUT_SECONDS * 1_000,
    from: textOf(flags.from) ?? FROM,
    webhookUrl: webhookUrl === null ? null : urlOf('--webhook-url', webhookUrl),
    smtp: smtp === null ? null : hostOf(smtp),
  }
}

const textOf = (flag: string | boolean | undefined) => (typeof flag === 'string' && flag !== '' ? flag : null)

/** Also with a path: a server may be below one. */
function urlOf(name: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw new OperatorError(`${name} must be an http or https URL, not \`${given}\`.`)
  if (url.username !== '' || url.password !== '') throw new OperatorError(`${name} must not have a password in it.`)
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}

function hostOf(given: string) {
  const [, host, port] = /^(.+):(\d+)$/.exec(given) ?? []
  if (!host || Number(port) < 1 || Number(port) > 65_535)
    throw new OperatorError(`--smtp must be HOST:PORT, not \`${given}\`.`)
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

function numberOf(name: string, given: string | boolean | undefined, { or, max }: { or: number; max: number }): number {
  if (given === undefined) return or
  const number = Number(given)
  if (given === '' || !Number.isFinite(number) || number < 0 || number > max)
    throw new OperatorError(`--${name} must be a number up to ${max}, not \`${given}\`.`)
  return number
}
