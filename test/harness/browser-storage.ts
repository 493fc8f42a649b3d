/** As the type of a browser's, which the tests of the server do not have. */
interface BrowserStorage {
  readonly length: number
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
  clear(): void
  key(index: number): string | null
}

/** The storage of a browser, for the dashboard's logic outside of one: its keys are its own properties, as they are there. */
export function memoryStorage({ maxCharacters = Number.POSITIVE_INFINITY } = {}): BrowserStorage {
  const methods = {
    getItem: (name: string) => (Object.hasOwn(storage, name) ? String(storage[name]) : null),
    setItem(name: string, value: string) {
      if (value.length > maxCharacters) throw new DOMException('full', 'QuotaExceededError')
      storage[name] = value
    },
    removeItem: (name: string) => void delete storage[name],
    clear: () => {
      for (const name of Object.keys(storage)) delete storage[name]
    },
    key: (index: number) => Object.keys(storage)[index] ?? null,
    get length() {
      return Object.keys(storage).length
    },
  }
  const storage: BrowserStorage & Record<string, unknown> = Object.create(methods)
  return storage
}
