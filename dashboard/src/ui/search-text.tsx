import type { FormEvent } from 'react'
import { Button } from './button.tsx'
import { useWords, type Word } from './words.ts'
import './search-text.css'

/** A text that is in the address, so that it can be kept and passed on. */
export function SearchText({ name, label }: { name: Word; label: string }) {
  const { words, choose } = useWords()
  const find = (text: string) => choose({ [name]: text || undefined })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    find(String(new FormData(event.currentTarget).get(name)).trim())
  }
  const given = words[name]
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
