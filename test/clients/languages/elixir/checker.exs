defmodule Checker do
  @moduledoc "Calls functions of the SDK by name and prints one line of JSON for each call."

  @plumbing [Resend.Castable, Resend.Client, Resend.Client.ReqClient, Resend.List, Resend.Swoosh.Adapter, Resend.Util, Resend]

  @doc "Starts the SDK, told of the service here."
  def start do
    # Nothing that Swoosh would ask by itself.
    Application.put_env(:swoosh, :api_client, false, persistent: true)
    Application.put_env(:resend, Resend.Client, api_key: env("RESEND_API_KEY"), base_url: env("BASE_URL"))
    Logger.configure(level: :none)
    {:ok, _} = Application.ensure_all_started(:resend)
  end

  def env(name), do: System.fetch_env!(name)

  @doc "Every public function that asks the service, as Elixir shows them: a new one cannot be missed."
  def functions do
    {:ok, modules} = :application.get_key(:resend, :modules)

    for module <- modules,
        module not in @plumbing and not plain_struct?(module),
        {name, _} <- module.__info__(:functions),
        uniq: true,
        do: "#{path(module)}.#{name}"
  end

  defp plain_struct?(module), do: not Code.ensure_loaded?(module) or function_exported?(module, :__struct__, 0) or protocol?(module)

  defp protocol?(module), do: function_exported?(module, :__impl__, 1)

  defp path(module), do: module |> Module.split() |> tl() |> Enum.join(".")

  def print(line), do: IO.puts(Jason.encode!(line))

  defp say(function, nil), do: print(%{method: function, ok: true})
  defp say(function, detail), do: print(%{method: function, ok: false, detail: String.slice(detail, 0, 500)})

  defp ask(function, words) do
    {path, [name]} = function |> String.split(".") |> Enum.split(-1)
    apply(Module.concat(["Resend" | path]), String.to_existing_atom(name), words)
  rescue
    error -> {:raised, Exception.message(error)}
  end

  @doc "A call that must succeed, with what must be true of its reply."
  def call(function, words \\ [], expect \\ fn _ -> true end) do
    case ask(function, words) do
      {:ok, reply} ->
        say(function, if(holds?(expect, reply), do: nil, else: "unexpected reply: #{inspect(reply)}"))
        reply

      other ->
        say(function, inspect(other))
        nil
    end
  end

  # A reply without what is asked of it is wrong, not the end.
  defp holds?(expect, reply) do
    expect.(reply)
  rescue
    _ -> false
  end

  @doc "A call that must be refused, with an error of this name and status."
  def refuse(function, words, name, status) do
    case ask(function, words) do
      {:error, %Resend.Error{name: ^name, status_code: ^status}} -> say(function, nil)
      other -> say(function, "not refused with #{name}: #{inspect(other)}")
    end
  end

  def id(nil), do: "00000000-0000-4000-8000-000000000000"
  def id(reply), do: reply.id

  def has(fields), do: fn reply -> Enum.all?(fields, fn {name, value} -> Map.get(reply, name) == value end) end

  def lists(id), do: fn reply -> Enum.any?(reply.data, &(&1.id == id)) end

  def fresh(word), do: "#{word}-#{Base.encode16(:crypto.strong_rand_bytes(5), case: :lower)}"

  def address(word), do: "#{fresh(word)}@example.com"
end
