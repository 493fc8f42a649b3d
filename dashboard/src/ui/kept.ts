// What is being written in a form, until it is sent: a reload or a look at another page does not lose it. For as long as the tab is
// open and its team signed in, and in no other tab.
//
// What must outlive its tab (a text that the service does not have yet) is kept longer: until it is saved or somebody signs out.

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

/** Somebody has signed out, and this page is about to end: what it still wants to keep is not for the next one. */
let isOver = false

/** Tells whether there was room for it. */
export function keepLonger(name: string, value: object): boolean {
  if (isOver) return true
  try {
    localStorage.setItem(keyOf(name), JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

/** Everything that is kept longer under names that begin like this. */
export function keptLonger(beginning: string): unknown[] {
  const keys = Object.keys(localStorage).filter((key) => key.startsWith(keyOf(beginning)))
  return keys.flatMap((key) => {
    try {
      return [JSON.parse(localStorage.getItem(key) ?? 'null')]
    } catch {
      return []
    }
  })
}

export const forgetLonger = (name: string) => localStorage.removeItem(keyOf(name))

/** When somebody signs out. */
export function forgetAll() {
  isOver = true
  for (const storage of [sessionStorage, localStorage])
    for (const key of Object.keys(storage)) if (key.startsWith(`${PREFIX}:`)) storage.removeItem(key)
}
