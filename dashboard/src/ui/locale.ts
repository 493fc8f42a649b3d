// Dates, numbers and lists are written as the reader is used to: by the languages that their browser names.

// Without the types of a browser: programs of the tests read texts as well.
const { navigator } = globalThis as { readonly navigator?: { readonly languages?: readonly string[] } }

export const LOCALE: readonly string[] = navigator?.languages ?? []

const NUMBER = new Intl.NumberFormat(LOCALE)

export const formatNumber = (value: number) => NUMBER.format(value)

export const dateFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, options)
