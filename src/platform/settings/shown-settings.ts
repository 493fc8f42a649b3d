import { SETTINGS, settingName } from './config.ts'
import type { Origin, Settings } from './sources.ts'

/** A setting as operators may see it. */
export interface ShownSetting {
  readonly name: string
  /** As it was written, or the default; what is secret of it is blanked. Null: unset. */
  readonly value: string | null
  readonly origin: Origin
  readonly isSecret: boolean
  /** What is wrong with it. */
  readonly error: string | null
}

const BLANK = '***'

export function shownSettings({ environment, origins, problems }: Settings): ShownSetting[] {
  return Object.entries(SETTINGS).map(([key, setting]) => {
    const name = settingName(key)
    const problem = problems.find((one) => one.name === name)
    const text = environment[name]
    const error = problem?.message ?? errorOf(() => setting.parse(text, environment), name)
    const origin: Origin = problem?.origin ?? origins.get(key) ?? { source: 'default' }
    const value =
      text === undefined ? (setting.default ?? null) : visible(text, { ...setting, isWrong: error !== null })
    return { name, value, origin, isSecret: setting.isSecret, error }
  })
}

function errorOf(parse: () => unknown, name: string): string | null {
  try {
    parse()
    return null
  } catch (error) {
    return `${name} ${(error as Error).message}.`
  }
}

function visible(text: string, { isSecret, isUrl, isWrong }: { isSecret: boolean; isUrl: boolean; isWrong: boolean }) {
  if (!isUrl) return isSecret ? BLANK : text
  // Where the password is in something that is no URL, nobody knows.
  return isWrong ? BLANK : withoutPassword(text, isSecret)
}

/** Up to the last `@`, since passwords have been seen that have one; a name without a password is one itself. */
function withoutPassword(url: string, isSecret: boolean): string {
  const [, protocol = '', user = '', rest = ''] = /^([a-z][\w+.-]*:\/\/)(?:(.*)@)?(.*)$/is.exec(url) ?? []
  const [name, password] = [user.split(':')[0], user.includes(':') || isSecret ? `:${BLANK}` : '']
  const login = user === '' ? '' : password && !user.includes(':') ? `${BLANK}@` : `${name}${password}@`
  return `${protocol}${login}${rest.replace(/([?&][^=&#]*(?:pass|secret|key|token)[^=&#]*=)[^&#]*/gi, `$1${BLANK}`)}`
}
