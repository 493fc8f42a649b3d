// What is being written in a form, until it is sent: a reload or a look at another page does not lose it. For as long as the tab is
// open and its team signed in, and in no other tab.

const PREFIX = 'written'
let team = ''

/** Whose texts are meant from now on. */
export function keepFor(name: string) {
  team = name
}

const keyOf = (form: string) => [PREFIX, team, form].join(':')

type Values = Readonly<Record<string, string>>

export function readKept(form: string): Values | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(form)) ?? 'null')
  } catch {
    return null
  }
}

export function keep(form: string, values: Values) {
  try {
    sessionStorage.setItem(keyOf(form), JSON.stringify(values))
  } catch {
    // Too long for the browser's storage: then it is kept only as long as the form is there.
  }
}

export const forget = (form: string) => sessionStorage.removeItem(keyOf(form))

/** When somebody signs out. */
export function forgetAll() {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(`${PREFIX}:`)) sessionStorage.removeItem(key)
}
