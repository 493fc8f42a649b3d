import type { Variable } from './chips.ts'
import { asName } from './chips.ts'
import { texts } from './texts.ts'

/** A variable that can be inserted, and where its value comes from. */
export interface OfferedVariable extends Variable {
  readonly from: string
}

export interface OpenMenu {
  readonly items: readonly OfferedVariable[]
  readonly selected: number
  readonly at: DOMRect | null
  choose(item: OfferedVariable): void
}

/** What TipTap tells about a list that is open. */
interface Suggested {
  readonly items: OfferedVariable[]
  readonly clientRect?: (() => DOMRect | null) | null | undefined
  // biome-ignore lint/suspicious/noExplicitAny: TipTap's own type of what is chosen
  readonly command: (item: any) => void
}

/** The list of variables behind `{{`: told by the text editor what is typed, shown by React. */
export class SuggestionMenu {
  #open: OpenMenu | null = null
  #offered: readonly OfferedVariable[] = []
  readonly #listeners = new Set<() => void>()

  offer(variables: readonly OfferedVariable[]) {
    this.#offered = variables
  }

  /** Those whose name has what is typed; what none has can be a new one. */
  itemsFor(query: string): OfferedVariable[] {
    const typed = asName(query)
    const found = this.#offered.filter(({ name }) => name.toLowerCase().includes(typed.toLowerCase()))
    const isNew = typed !== '' && !found.some(({ name }) => name === typed)
    return isNew ? [...found, { name: typed, fallback: null, from: texts.variables.new }] : found
  }

  subscribe = (listener: () => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  current = () => this.#open

  onStart = (props: Suggested) => this.#show(props, 0)

  onUpdate = (props: Suggested) => this.#show(props, 0)

  onKeyDown = ({ event }: { event: KeyboardEvent }): boolean => {
    const open = this.#open
    if (!open) return false
    const { items, selected } = open
    if (event.key === 'Escape') {
      this.#set(null)
      return true
    }
    if (items.length === 0) return false
    if (event.key === 'ArrowDown') this.#set({ ...open, selected: (selected + 1) % items.length })
    else if (event.key === 'ArrowUp') this.#set({ ...open, selected: (selected + items.length - 1) % items.length })
    else if (event.key === 'Enter' || event.key === 'Tab') open.choose(items[selected]!)
    else return false
    return true
  }

  onExit = () => this.#set(null)

  #show({ items, clientRect, command }: Suggested, selected: number) {
    this.#set({ items, selected, at: clientRect?.() ?? null, choose: command })
  }

  #set(open: OpenMenu | null) {
    this.#open = open
    for (const listener of this.#listeners) listener()
  }
}
