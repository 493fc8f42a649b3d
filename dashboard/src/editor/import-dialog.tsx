import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { CodeField, Field } from '../ui/field.tsx'
import { texts } from './texts.ts'

interface ImportDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onImport: (html: string) => Promise<unknown>
}

export const ImportDialog = ({ isOpen, onClose, onImport }: ImportDialogProps) => (
  <Dialog title={texts.importDialog.title} note={texts.importDialog.note} isOpen={isOpen} onClose={onClose}>
    <ImportForm
      onImport={async (html) => {
        await onImport(html)
        onClose()
      }}
    />
  </Dialog>
)

const isSource = (name: string, text: string) =>
  /\.[jt]sx?$/i.test(name) || (/^\s*import .* from ['"]/m.test(text) && !/^\s*</.test(text))

const RENDER_FIRST = texts.importDialog.isSource

function ImportForm({ onImport }: { onImport: (html: string) => Promise<unknown> }) {
  const [html, setHtml] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const take = (name: string, text: string) => {
    setHtml(text)
    setProblem(isSource(name, text) ? RENDER_FIRST : undefined)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    await onImport(html)
    setBusy(false)
  }
  return (
    <form className="form" onSubmit={submit}>
      <Field label={texts.importDialog.file.label} hint={texts.importDialog.file.hint}>
        {(common) => (
          <input
            {...common}
            type="file"
            accept=".html,.htm,.tsx,.jsx,text/html"
            onChange={async ({ currentTarget: { files } }) => files?.[0] && take(files[0].name, await files[0].text())}
          />
        )}
      </Field>
      <CodeField label={texts.importDialog.paste} rows={8} value={html} onChange={(text) => take('', text)} />
      {problem && (
        <p className="form-error" role="alert">
          {problem}
        </p>
      )}
      <div className="actions">
        <Button type="submit" look="primary" isBusy={isBusy} disabled={html.trim() === '' || problem !== undefined}>
          {texts.importDialog.submit}
        </Button>
      </div>
    </form>
  )
}
