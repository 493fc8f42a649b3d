import type { HtmlTag } from '../html-visitor.ts'

const MAX_VALUE_LENGTH = 1_000
const MAX_NAMES = 20_000

/** The classes and ids of a mail. What a style sheet of a framework says about others changes nothing. */
export class UsedNames {
  readonly #names = new Set<string>()

  add({ attributes }: HtmlTag) {
    for (const [mark, attribute] of [
      ['.', 'class'],
      ['#', 'id'],
    ] as const) {
      const value = attributes.get(attribute)?.value.slice(0, MAX_VALUE_LENGTH)
      if (value !== undefined && this.#names.size < MAX_NAMES)
        for (const name of value.split(/\s+/)) this.#names.add(`${mark}${name}`)
    }
  }

  /** Whether one of the selectors of a rule may choose something in the mail. */
  concerns(selectors: string): boolean {
    return selectors.split(',').some((selector) => {
      // What is not chosen, or chosen by an attribute, says nothing about who has the class.
      const names = selector.replace(/:not\([^()]*\)|\[[^\][]*\]/g, ' ').match(/[.#][\w-]+/g) ?? []
      return names.every((name) => this.#names.has(name))
    })
  }
}
