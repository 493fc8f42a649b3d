import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Logo } from './logo.tsx'
import { signIn } from './session.ts'
import './sign-in.css'

export function SignIn() {
  const queries = useQueryClient()
  const [error, setError] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    try {
      await signIn(String(new FormData(event.currentTarget).get('key')))
      await queries.resetQueries()
    } catch (reason) {
      setError((reason as Error).message)
      setBusy(false)
    }
  }
  return (
    <main className="sign-in">
      <form className="form" onSubmit={submit}>
        <Logo />
        <h1>Sign in</h1>
        <p className="muted">
          With an API key that has full access. The first one is in the file <code>api-key</code> of the data folder,
          and on this machine the start of the service prints a link that signs you in.
        </p>
        <div className="field">
          <label htmlFor="key">API key</label>
          <input
            id="key"
            name="key"
            type="password"
            autoComplete="current-password"
            placeholder="re_…"
            required
            // biome-ignore lint/a11y/noAutofocus: it is the only field of the page
            autoFocus
          />
        </div>
        {error && (
          <p className="form-error" role="alert">
            {error}
          </p>
        )}
        <Button type="submit" look="primary" isBusy={isBusy}>
          Sign in
        </Button>
      </form>
    </main>
  )
}
