import { type FormEvent, useState } from 'react'
import { CONTACT_COLUMNS, ROW_COLUMNS } from '../../../../src/features/contacts/imports/schema.ts'
import { upload } from '../../api.ts'
import { useCall } from '../../queries.ts'
import { useAct } from '../../ui/act.ts'
import { Button } from '../../ui/button.tsx'
import { useChoices } from '../../ui/choices.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { columnMapOf, keyOf, type Property, type Target, targetOf } from './column-map.ts'
import { type CsvColumn, readColumns } from './csv-head.ts'
import './import-dialog.css'
import { texts } from './texts.ts'

/** Choose a file, say what its columns are, go. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [columns, setColumns] = useState<readonly CsvColumn[]>([])
  const [error, setError] = useState<string | null>(null)
  const segments = useChoices('segments.list')
  const properties = useCall('contact-properties.list', { limit: 100 }, { enabled: isOpen })
  const known = properties.data?.data ?? []
  const begin = useAct({
    run: (form: FormData) => upload('contacts.imports.create', form),
    refresh: ['contacts', 'contact-properties'],
    done: texts.importDialog.done,
  })
  const close = () => {
    setColumns([])
    setError(null)
    onClose()
  }
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const targets = columns.map((_column, index) => String(form.get(`column ${index}`) ?? '') as Target)
    const mapped = columnMapOf(columns, targets, known)
    setError('error' in mapped ? mapped.error : null)
    if ('map' in mapped) begin.mutate(requestOf(form, mapped.map), { onSuccess: close })
  }
  return (
    <Dialog title={texts.importDialog.title} isOpen={isOpen} onClose={close} isWide>
      <form className="form" onSubmit={submit}>
        <div className="field">
          <label htmlFor="import-file">{texts.importDialog.file}</label>
          <input
            id="import-file"
            name="file"
            type="file"
            accept=".csv,text/csv"
            required
            onChange={async (event) => {
              const file = event.currentTarget.files?.[0]
              setError(null)
              setColumns(file ? await readColumns(file) : [])
            }}
          />
        </div>
        {columns.length > 0 && !properties.isPending && <ColumnChoices columns={columns} known={known} />}
        <div className="field">
          <label htmlFor="import-segment">{texts.importDialog.segment}</label>
          <select id="import-segment" name="segment">
            <option value="">–</option>
            {segments.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="import-conflict">{texts.importDialog.existing.label}</label>
          <select id="import-conflict" name="on_conflict">
            <option value="upsert">{texts.importDialog.existing.update}</option>
            <option value="skip">{texts.importDialog.existing.keep}</option>
          </select>
        </div>
        {error && (
          <p className="form-error" role="alert">
            {error}
          </p>
        )}
        <div className="actions">
          <Button type="submit" look="primary" isBusy={begin.isPending}>
            {texts.importDialog.submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

const ColumnChoices = ({ columns, known }: { columns: readonly CsvColumn[]; known: readonly Property[] }) => (
  <fieldset className="mapping">
    <legend>{texts.importDialog.mapping.legend}</legend>
    {columns.map((column, index) => (
      <div key={column.name}>
        <div className="mapping-column">
          <label htmlFor={`column-${index}`}>{column.name}</label>
          <small id={`column-${index}-samples`} className="muted">
            {column.samples.join(', ') || texts.importDialog.mapping.noSamples}
          </small>
        </div>
        <select
          id={`column-${index}`}
          aria-describedby={`column-${index}-samples`}
          name={`column ${index}`}
          defaultValue={targetOf(column, known)}
        >
          <option value="">{texts.importDialog.mapping.ignore}</option>
          <optgroup label={texts.importDialog.mapping.contact}>
            {[...CONTACT_COLUMNS, ...ROW_COLUMNS].map((name) => (
              <option key={name} value={`field:${name}`}>
                {texts.importDialog.mapping.fields[name]}
              </option>
            ))}
          </optgroup>
          {known.length > 0 && (
            <optgroup label={texts.importDialog.mapping.properties}>
              {known.map(({ key, type }) => (
                <option key={key} value={`property:${key}`}>
                  {texts.importDialog.mapping.typed[type](key)}
                </option>
              ))}
            </optgroup>
          )}
          <optgroup label={texts.importDialog.mapping.createProperty}>
            <option value="create:string">{texts.importDialog.mapping.typed.string(keyOf(column.name))}</option>
            <option value="create:number">{texts.importDialog.mapping.typed.number(keyOf(column.name))}</option>
          </optgroup>
        </select>
      </div>
    ))}
  </fieldset>
)

function requestOf(form: FormData, map: object): FormData {
  const request = new FormData()
  request.set('column_map', JSON.stringify(map))
  request.set('on_conflict', String(form.get('on_conflict')))
  if (form.get('segment')) request.set('segments', JSON.stringify([{ id: form.get('segment') }]))
  request.set('file', form.get('file') as File) // last: the server reads the other parts first
  return request
}
