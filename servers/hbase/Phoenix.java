import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.HexFormat;

/** Runs statements that end with a semicolon and a line break; prints rows, a line each, with tabs between columns. */
public class Phoenix {
    public static void main(String[] args) throws Exception {
        String text = Files.readString(Path.of(args[1]));
        String url = "jdbc:phoenix:127.0.0.1:" + args[0] + ":/hbase";
        try (Connection connection = DriverManager.getConnection(url); Statement statement = connection.createStatement()) {
            boolean upserts = false;
            for (String sql : text.split(";\n")) {
                if (sql.isBlank()) continue;
                // Rows that are upserted one after the other are sent together.
                boolean upsert = sql.startsWith("UPSERT");
                if (!upsert || !upserts) connection.commit();
                upserts = upsert;
                statement.execute(sql);
                ResultSet rows = statement.getResultSet();
                if (rows == null) continue;
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    String[] row = new String[columns];
                    for (int i = 0; i < columns; i++) {
                        Object value = rows.getObject(i + 1);
                        if (value instanceof byte[] bytes) row[i] = HexFormat.of().formatHex(bytes);
                        else if (value instanceof BigDecimal number) row[i] = number.toPlainString();
                        else row[i] = String.valueOf(value);
                    }
                    System.out.println(String.join("\t", row));
                }
            }
            connection.commit();
        }
        System.exit(0);
    }
}
