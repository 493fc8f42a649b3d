import { useNavigate, useSearch } from '@tanstack/react-router'

interface SearchSelectProps {
  /** Of the parameter in the address. */
  readonly name: string
  readonly label: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  /** What no choice is called; left out when there has to be one. */
  readonly none?: string
  /** What counts when the address says nothing. */
  readonly otherwise?: string
}

/** A choice that is in the address, so that it can be kept and passed on. Another choice begins at the first page of its list. */
export function SearchSelect({ name, label, options, none, otherwise = '' }: SearchSelectProps) {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const navigate = useNavigate()
  const choose = (value: string) =>
    navigate({
      to: '.',
      search: ((old: object) => ({ ...old, after: undefined, before: undefined, [name]: value || undefined })) as never,
    })
  return (
    <select
      data-filter
      aria-label={label}
      value={search[name] ?? otherwise}
      onChange={(event) => choose(event.currentTarget.value)}
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
export const asOptions = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }))
