import java.util.List;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.PaymentsApi;
import org.openapitools.client.model.CreatePaymentBody;
import org.openapitools.client.model.ErrorAnswer;
import org.openapitools.client.model.MerchantPayment;

/** The calls of an integrator with openapi-generator for Java. */
public class Client {
  private static final String ORDER = System.getenv("ORDER");

  private static CreatePaymentBody body(long amount) {
    return new CreatePaymentBody()
        .amount(amount)
        .phoneNumber("+255754123789")
        .description("Order 1001")
        .merchantReference(ORDER)
        .metadata(Map.of("cart", ORDER));
  }

  public static void main(String[] args) throws ApiException {
    ApiClient client = new ApiClient();
    client.setBasePath(System.getenv("BASE_URL"));
    client.setApiKey(System.getenv("API_KEY"));
    PaymentsApi payments = new PaymentsApi(client);
    String created = payments.createPayment(ORDER, body(5000)).getData().getReference();
    String read = payments.getPayment(created).getData().getReference();
    List<MerchantPayment> found =
        payments.listPayments(5, null, null, null, null, null, null, null, ORDER, null, null, null, null, null, null).getData();
    List<String> listed = found.stream().map(MerchantPayment::getReference).toList();
    try {
      payments.createPayment(ORDER, body(6000));
    } catch (ApiException refusal) {
      ErrorAnswer answer = JSON.getGson().fromJson(refusal.getResponseBody(), ErrorAnswer.class);
      String refused = answer.getError().getCode();
      System.out.print(JSON.getGson().toJson(Map.of("created", created, "read", read, "listed", listed, "refused", refused)));
    }
  }
}
