// Dates, numbers and lists are written as the reader is used to: by the languages that their browser names.

export const LOCALE: readonly string[] = globalThis.navigator?.languages ?? []

const NUMBER = new Intl.NumberFormat(LOCALE)

export const formatNumber = (value: number) => NUMBER.format(value)

export const dateFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, options)
