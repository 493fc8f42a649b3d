# Calls methods of the SDK by name and prints one line of JSON for each call.
require "json"

PLUMBING = %w[Client Error Mailer MultipartRequest PaginationHelper Railtie Request Response].freeze

# Every public method that asks the service, as Ruby shows them: a new one cannot be missed.
def methods_of(part, path = nil)
  found = path ? part.singleton_methods(false).map { |name| "#{path}.#{name}" } : []
  inner = part.constants.select { |name| part.const_get(name).is_a?(Module) && !PLUMBING.include?(name.to_s) }
  found + inner.flat_map { |name| methods_of(part.const_get(name), [path, name].compact.join(".")) }
end

def say(method, detail)
  line = { method: method, ok: detail.nil? }
  line[:detail] = detail[0, 500] if detail
  puts JSON.generate(line)
end

def ask(method, words, options)
  *path, name = method.split(".")
  part = path.reduce(Resend) { |inside, one| inside.const_get(one) }
  reply = part.public_send(name, *words, **options)
  reply.is_a?(Resend::Response) ? JSON.parse(JSON.generate(reply.to_h), symbolize_names: true) : reply
end

# A call that must succeed, with what must be true of its reply.
def call(method, *words, **options, &expect)
  reply = ask(method, words, options)
  say(method, expect.nil? || expect.call(reply) ? nil : "unexpected reply: #{reply}")
  reply.is_a?(Hash) ? reply : {}
rescue StandardError => error
  say(method, "#{error.class}: #{error.message}")
  {}
end

# A call that must be refused, with this error.
def refuse(method, *words, kind:, saying: //)
  say(method, "not refused: #{ask(method, words, {})}")
rescue StandardError => error
  right = error.instance_of?(kind) && error.message.match?(saying)
  say(method, right ? nil : "#{error.class}: #{error.message}")
end

# Asks again until there is an answer, half a minute at most.
def ask_until
  deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 30
  while Process.clock_gettime(Process::CLOCK_MONOTONIC) < deadline
    answer = yield
    return answer if answer

    sleep 0.05
  end
  nil
end
