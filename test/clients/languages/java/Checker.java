import com.fasterxml.jackson.annotation.JsonAutoDetect.Visibility;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.resend.Resend;
import com.resend.core.exception.ResendException;
import com.resend.core.service.BaseService;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Makes calls and prints one line of JSON for each. A reply is looked at by the fields that the SDK has filled. */
class Checker {
  interface Call {
    Object run() throws Exception;
  }

  private static final ObjectMapper JSON = new ObjectMapper()
      .registerModule(new JavaTimeModule())
      .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
      .setVisibility(PropertyAccessor.ALL, Visibility.NONE)
      .setVisibility(PropertyAccessor.FIELD, Visibility.ANY);

  /** A call that must succeed. Gives back its reply. */
  static JsonNode call(String method, Call call, Predicate<JsonNode> expected) {
    try {
      JsonNode reply = JSON.valueToTree(call.run());
      say(method, expected.test(reply) ? null : "unexpected reply: " + reply);
      return reply;
    } catch (Exception error) {
      say(method, error.toString());
      return JSON.createObjectNode();
    }
  }

  static JsonNode call(String method, Call call) {
    return call(method, call, reply -> true);
  }

  /** A call that must be refused with this status and name. */
  static void refuse(String method, int status, String name, Call call) {
    try {
      say(method, "not refused: " + JSON.valueToTree(call.run()));
    } catch (ResendException error) {
      boolean isRight = Integer.valueOf(status).equals(error.getStatusCode()) && name.equals(error.getErrorName());
      say(method, isRight ? null : error.getStatusCode() + " " + error.getErrorName() + ": " + error.getMessage());
    } catch (Exception error) {
      say(method, error.toString());
    }
  }

  static void say(String method, String detail) {
    var line = JSON.createObjectNode().put("method", method).put("ok", detail == null);
    if (detail != null) line.put("detail", detail.substring(0, Math.min(500, detail.length())));
    System.out.println(line);
  }

  /** What every public method is called, each once whatever its parameters: a new one cannot be missed. */
  static void open(String version) throws Exception {
    var names = new TreeSet<String>();
    for (Method part : Resend.class.getDeclaredMethods())
      if (Modifier.isPublic(part.getModifiers()) && BaseService.class.isAssignableFrom(part.getReturnType()))
        collect(part.getReturnType(), part.getName(), names);
    System.out.println(JSON.writeValueAsString(Map.of("version", version, "methods", names)));
  }

  private static void collect(Class<?> part, String path, TreeSet<String> names) {
    for (Method method : part.getDeclaredMethods()) {
      if (!Modifier.isPublic(method.getModifiers())) continue;
      if (BaseService.class.isAssignableFrom(method.getReturnType())) collect(method.getReturnType(), path + "." + method.getName(), names);
      else names.add(path + "." + method.getName());
    }
  }

  static Predicate<JsonNode> has(String name, Object value) {
    return reply -> JSON.valueToTree(value).equals(reply.get(name));
  }

  static Predicate<JsonNode> lists(String id) {
    return reply -> ids(reply.path("data")).contains(id);
  }

  static Predicate<JsonNode> counts(int number) {
    return reply -> reply.path("data").size() == number;
  }

  static String id(JsonNode reply) {
    return reply.path("id").asText();
  }

  static String firstId(JsonNode list) {
    return id(list.path("data").path(0));
  }

  private static List<String> ids(JsonNode data) {
    var all = new ArrayList<String>();
    data.forEach(one -> all.add(id(one)));
    return all;
  }

  /** Asks again until it is so, half a minute at most. */
  static void until(Call ask) throws Exception {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (System.nanoTime() < deadline && !isSo(ask)) Thread.sleep(50);
  }

  private static boolean isSo(Call ask) {
    try {
      return Boolean.TRUE.equals(ask.run());
    } catch (Exception error) {
      return false;
    }
  }

  static JsonNode read(String text) throws Exception {
    return JSON.readTree(text);
  }
}
