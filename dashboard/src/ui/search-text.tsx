import { useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Button } from './button.tsx'

/** A text that is in the address, so that it can be kept and passed on. Another text begins at the first page of its list. */
export function SearchText({ name, label }: { name: string; label: string }) {
  const search = useSearch({ strict: false }) as Readonly<Record<string, string | undefined>>
  const navigate = useNavigate()
  const find = (text: string) =>
    navigate({
      to: '.',
      search: ((old: object) => ({ ...old, after: undefined, before: undefined, [name]: text || undefined })) as never,
    })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    find(String(new FormData(event.currentTarget).get(name)).trim())
  }
  const given = search[name]
  return (
    <form className="search-text" key={given} onSubmit={submit}>
      <input name={name} data-filter aria-label={label} placeholder={label} defaultValue={given} />
      <Button type="submit">Find</Button>
      {given && (
        <Button look="quiet" onClick={() => find('')}>
          Clear
        </Button>
      )}
    </form>
  )
}
