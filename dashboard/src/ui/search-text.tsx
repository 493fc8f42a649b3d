import type { FormEvent } from 'react'
import { Button } from './button.tsx'
import { useFormOfAddress } from './form-of-address.ts'
import { useSearchParams, type Word } from './search-params.ts'
import './search-text.css'

/** A text that is in the address, so that it can be kept and passed on. */
export function SearchText({ name, label }: { name: Word; label: string }) {
  const { words, choose } = useSearchParams()
  const find = (text: string) => choose({ [name]: text || undefined })
  const given = words[name]
  const { key, isSent } = useFormOfAddress(given ?? '')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const text = String(new FormData(event.currentTarget).get(name)).trim()
    isSent(text)
    find(text)
  }
  return (
    <form className="search-text" key={key} onSubmit={submit}>
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
