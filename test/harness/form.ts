/** A `multipart/form-data` request as browsers and the SDK write it, parts in the order given. `file` is the CSV file. */
export async function formOf(parts: Record<string, string | Buffer>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts)) {
    if (name === 'file') form.append(name, new Blob([value], { type: 'text/csv' }), 'contacts.csv')
    else form.append(name, String(value))
  }
  const encoded = new Response(form)
  const headers = { 'content-type': encoded.headers.get('content-type')! }
  return { payload: Buffer.from(await encoded.arrayBuffer()), headers }
}
