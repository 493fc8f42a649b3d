/** The fields of a row, found by their names whatever the spelling: `EmailAddress`, `email_address` and `Email Address` are one. */
export class Fields {
  readonly #values: ReadonlyMap<string, unknown>

  constructor(given: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(given).map(([name, value]) => [plain(name), value]))
  }

  has = (...names: string[]) => names.some((name) => this.#values.has(name))

  value(...names: string[]): unknown {
    for (const name of names) {
      const value = this.#values.get(name)
      if (value !== undefined && value !== null && value !== '') return value
    }
    return undefined
  }

  text(...names: string[]): string {
    const value = this.value(...names)
    return typeof value === 'string'
      ? value.trim()
      : value === undefined || typeof value === 'object'
        ? ''
        : String(value)
  }

  /** True, false, or undefined where nothing is said. */
  flag(...names: string[]): boolean | undefined {
    const text = this.text(...names).toLowerCase()
    if (['true', 'yes', '1'].includes(text)) return true
    return ['false', 'no', '0'].includes(text) ? false : undefined
  }

  /** A moment in any of the forms that services write: seconds, ISO 8601, a date of mail. Without a zone it is UTC. */
  moment(...names: string[]): Date | undefined {
    const text = this.text(...names)
    if (text === '') return undefined
    const moment = /^\d{9,13}(\.\d+)?$/.test(text) ? new Date(secondsOf(text) * 1_000) : new Date(withZone(text))
    return Number.isNaN(moment.getTime()) ? undefined : moment
  }

  object(...names: string[]): Record<string, unknown> {
    let value = this.value(...names)
    try {
      if (typeof value === 'string') value = JSON.parse(value)
    } catch {
      return {}
    }
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  }

  list(...names: string[]): Record<string, unknown>[] {
    const value = this.value(...names)
    return Array.isArray(value) ? value.filter((one) => typeof one === 'object' && one !== null) : []
  }
}

export const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** 13 digits are milliseconds. */
const secondsOf = (text: string) => (/^\d{12,13}$/.test(text) ? Number(text) / 1_000 : Number(text))

const withZone = (text: string) =>
  /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?$/.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : text.replace(/ UTC$/, 'Z').replace(/^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(Z)$/, '$1T$2$3')
