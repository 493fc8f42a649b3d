// Dates, numbers and lists are written as the reader is used to: by the languages that their browser names.

// Without the types of a browser: programs of the tests read texts as well.
const { navigator } = globalThis as { readonly navigator?: { readonly languages?: readonly string[] } }

export const LOCALE: readonly string[] = navigator?.languages ?? []

const NUMBER = new Intl.NumberFormat(LOCALE)
const SHORT = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 })
const PERCENT = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 2 })

export const formatNumber = (value: number) => NUMBER.format(value)

/** `12K` from ten thousand on: where there is little room. */
export const formatShort = (value: number) => (value < 10_000 ? NUMBER : SHORT).format(value)

/** Of a hundred, as the API counts shares. */
export const formatPercent = (value: number) => PERCENT.format(value / 100)

export const dateFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, options)
