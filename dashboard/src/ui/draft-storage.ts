// What is being written in a form, until it is sent: a reload or a look at another page does not lose it. For as long as the tab is
// open and its team signed in, and in no other tab.
//
// What must outlive its tab (a text that the service does not have yet) is in local storage: until it is saved or somebody signs out.

const PREFIX = 'written'
let team = ''

/** The team whose drafts are read and written from now on. */
export function setDraftTeam(name: string) {
  team = name
}

const keyOf = (name: string) => [PREFIX, team, name].join(':')

type Values = Readonly<Record<string, string>>

/** Drafts of forms, in session storage. */
export const sessionDrafts = {
  read(form: string): Values | null {
    try {
      return JSON.parse(sessionStorage.getItem(keyOf(form)) ?? 'null')
    } catch {
      return null
    }
  },
  write(form: string, values: Values) {
    try {
      sessionStorage.setItem(keyOf(form), JSON.stringify(values))
    } catch {
      // Too long for the browser's storage: then the form itself is the only copy.
    }
  },
  remove: (form: string) => sessionStorage.removeItem(keyOf(form)),
}

/** Somebody has signed out, and this page is about to end: what it still writes is not for the next one. */
let isSignedOut = false

/** Drafts that outlive their tab, in local storage. */
export const localDrafts = {
  /** False: the browser's storage is full. */
  write(name: string, value: object): boolean {
    if (isSignedOut) return true
    try {
      localStorage.setItem(keyOf(name), JSON.stringify(value))
      return true
    } catch {
      return false
    }
  },
  /** All whose names begin with this. */
  list(prefix: string): unknown[] {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(keyOf(prefix)))
    return keys.flatMap((key) => {
      try {
        return [JSON.parse(localStorage.getItem(key) ?? 'null')]
      } catch {
        return []
      }
    })
  },
  remove: (name: string) => localStorage.removeItem(keyOf(name)),
}

/** When somebody signs out. */
export function clearDrafts() {
  isSignedOut = true
  for (const storage of [sessionStorage, localStorage])
    for (const key of Object.keys(storage)) if (key.startsWith(`${PREFIX}:`)) storage.removeItem(key)
}
