import { useSearchParams, type Word } from './search-params.ts'
import { inSentenceCase } from './sentence-case.ts'

interface SearchSelectProps {
  /** Of the parameter in the address. */
  readonly name: Word
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** What no choice is called; left out when there has to be one. */
  readonly none?: string
  /** What counts when the address says nothing. */
  readonly otherwise?: string
}

/** A choice that is in the address, so that it can be kept and passed on. */
export function SearchSelect({ name, label, options, none, otherwise = '' }: SearchSelectProps) {
  const { words, choose } = useSearchParams()
  return (
    <select
      data-filter
      aria-label={label}
      value={words[name] ?? otherwise}
      onChange={(event) => choose({ [name]: event.currentTarget.value || undefined })}
    >
      {none !== undefined && <option value="">{none}</option>}
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  )
}

/** Words that are their own names. */
export const asOptions = (words: readonly string[]) =>
  words.map((word) => ({ value: word, label: inSentenceCase(word) }))
